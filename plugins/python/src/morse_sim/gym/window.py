"""The render mode `human`: a window with the whole scene, by pygame, as other environments of Gymnasium have it."""
from __future__ import annotations

import importlib
from typing import Any, Tuple

import gymnasium

from ..simulation import Array


class Window:
    """A window that shows images, at most one per period of real time."""

    def __init__(self, size: Tuple[int, int], frequency: float):
        try:
            self._pygame: Any = importlib.import_module("pygame")
        except ImportError:
            why = "the render mode `human` needs pygame: install it by `pip install pygame`"
            raise gymnasium.error.DependencyNotInstalled(why) from None
        self._frequency = frequency
        try:
            self._pygame.display.init()
            self._surface = self._pygame.display.set_mode(size)
        except self._pygame.error as error:
            self._pygame.display.quit()
            raise OSError(f"there is no screen for the render mode `human`: {error}") from None
        self._pygame.display.set_caption("morse-sim")
        self._clock = self._pygame.time.Clock()

    def show(self, image: Array) -> None:
        """Shows an image, and waits until the period is over."""
        surface = self._pygame.surfarray.make_surface(image.swapaxes(0, 1))
        self._surface.blit(surface, (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(self._frequency)

    def image(self) -> Array:
        """The image that is shown."""
        shown: Array = self._pygame.surfarray.array3d(self._surface).swapaxes(0, 1)
        return shown

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()
