;;; emacs.el --- Highlighting and indentation in Emacs, as text  -*- lexical-binding: t; -*-

(require 'imenu)
(require 'hideshow)

(defun tell-face (word)
  "Print the face of the last letter of WORD."
  (goto-char (point-min))
  (search-forward word)
  (princ (format "%-8s %s\n" word (get-text-property (1- (point)) 'face))))

(defun tell-indentation (mode text)
  "Print TEXT as MODE indents it."
  (with-temp-buffer
    (insert text)
    (funcall mode)
    (indent-region (point-min) (point-max))
    (princ (buffer-string))))

(defun tell-folds (mode text)
  "Print TEXT with all blocks folded as MODE does, and with the block of the second line unfolded."
  (with-temp-buffer
    (insert text)
    (funcall mode)
    (hs-hide-all)
    (princ (format "folded:\n%s" (tell-visible)))
    (goto-char (point-min))
    (forward-line)
    (end-of-line)
    (hs-show-block)
    (princ (format "one unfolded:\n%s" (tell-visible)))
    (hs-show-all)
    (unless (equal (tell-visible) text)
      (error "Not all blocks are shown"))))

(defun tell-visible ()
  "Return the visible text."
  (let ((seen ""))
    (dotimes (index (buffer-size) seen)
      (unless (invisible-p (1+ index))
        (setq seen (concat seen (string (char-after (1+ index)))))))))

(find-file (getenv "MORSE_SAMPLE"))
(princ (format "mode of sample.robray: %s\n" major-mode))
(font-lock-ensure)
(mapc #'tell-face '("# High" "include" "\"obj" "def" "leng" "1.5e" "pi" "class" "ste" "density" "arm-1" "revolute" "deg" "bo" "/* e"))
(princ (format "frames: %s\n" (mapcar #'car (cdr (assoc "Frames" (imenu--make-index-alist t))))))
(tell-indentation #'robray-mode "frame a {\nmass 1;\ngeometry {\nshape sphere;\n}\n# }\n}\n")

(tell-folds #'robray-mode "# A {\nframe a {\n  translation [0,\n    1, 2];\n  geometry {\n    shape sphere;\n  }\n}\nclass c { mass 1; }\n/* { */\n")
(tell-folds #'morse-sim-ron-mode "// (\nSimulation(\n    robots: {\n        \"a\": (model: \"b\"),\n    },\n    list: [\n        1,\n    ],\n)\n")

(with-temp-buffer
  (insert "// A table.\nSimulation(\nenvironment: (rate: 60, motion: morse), // (\nrobots: {\n\"a\": (model: \"b\"),\n},\n)\n")
  (set-auto-mode)
  (princ (format "mode of a simulation: %s\n" major-mode))
  (font-lock-ensure)
  (mapc #'tell-face '("// A" "Simulation" "environment" "60" "morse" "\"a"))
  (indent-region (point-min) (point-max))
  (princ (buffer-string)))
