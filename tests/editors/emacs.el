;;; emacs.el --- Highlighting and indentation in Emacs, as text  -*- lexical-binding: t; -*-

(require 'imenu)

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

(find-file (getenv "MORSE_SAMPLE"))
(princ (format "mode of sample.robray: %s\n" major-mode))
(font-lock-ensure)
(mapc #'tell-face '("# High" "include" "\"obj" "def" "leng" "1.5e" "pi" "class" "ste" "density" "arm-1" "revolute" "deg" "bo" "/* e"))
(princ (format "frames: %s\n" (mapcar #'car (cdr (assoc "Frames" (imenu--make-index-alist t))))))
(tell-indentation #'robray-mode "frame a {\nmass 1;\ngeometry {\nshape sphere;\n}\n# }\n}\n")

(with-temp-buffer
  (insert "// A table.\nSimulation(\nenvironment: (rate: 60, motion: morse), // (\nrobots: {\n\"a\": (model: \"b\"),\n},\n)\n")
  (set-auto-mode)
  (princ (format "mode of a simulation: %s\n" major-mode))
  (font-lock-ensure)
  (mapc #'tell-face '("// A" "Simulation" "environment" "60" "morse" "\"a"))
  (indent-region (point-min) (point-max))
  (princ (buffer-string)))
