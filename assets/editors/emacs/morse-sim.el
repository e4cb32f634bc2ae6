;;; morse-sim.el --- Scenes and simulation files of morse-sim  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, robotics
;; Version: 0.1.0
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Major modes for scenes (`.robray') and simulation files (`.ron') of morse-sim: highlighting, indentation, folding, comments
;; and an index of frames.  With Eglot, which is part of Emacs 29, `M-x eglot' starts the language server.

;;; Code:

(require 'hideshow)

(defgroup morse-sim nil
  "Scenes and simulation files of morse-sim."
  :group 'languages)

(defcustom morse-sim-command '("morse-sim" "lsp")
  "Command line of the language server."
  :type '(repeat string))

;; generated: keywords of the language
(defconst robray-statements
  '("frame" "geometry" "class" "object" "include" "allow_collision"
    "def")
  "Keywords of the scene language.")

(defconst robray-attributes
  '("parent" "translation" "quaternion" "rpy" "type" "axis"
    "offset" "variable" "limit_position" "limit_velocity" "limit_effort" "damping"
    "dry_friction" "armature" "gear" "ratio" "mass" "center_of_mass"
    "inertia" "isa" "shape" "mesh" "dimension" "delta"
    "thickness" "radius" "height" "start_radius" "end_radius" "color"
    "alpha" "specular" "shininess" "image" "checker" "pattern_size"
    "scale" "visual" "collision" "no-shadow" "friction" "restitution"
    "density" "convex_parts")
  "Attributes of the scene language.")

(defconst robray-words
  '("fixed" "revolute" "prismatic" "floating" "box" "sphere"
    "cylinder" "cone" "grid" "capsule")
  "Words of joint types and shapes of the scene language.")

(defconst robray-constants
  '("pi" "deg")
  "Constants of the scene language.")
;; end

(defun morse-sim--indent-line (step)
  "Indent the current line by its brackets, STEP columns each."
  (let* ((depth (save-excursion
                  (beginning-of-line)
                  (morse-sim--depth (syntax-ppss))))
         (closes (save-excursion
                   (back-to-indentation)
                   (looking-at-p "\\s)")))
         (indent (* step (max 0 (- depth (if closes 1 0)))))
         (in-text (save-excursion
                    (beginning-of-line)
                    (nth 8 (syntax-ppss))))
         (offset (- (current-column) (current-indentation))))
    (if in-text
        'noindent
      (indent-line-to indent)
      (when (> offset 0)
        (move-to-column (+ indent offset))))))

(defun morse-sim--fold (brackets)
  "Fold blocks that begin with BRACKETS, a regular expression."
  (setq-local hs-special-modes-alist
              (cons (list major-mode brackets "\\s)" "#\\|/[*/]")
                    hs-special-modes-alist))
  (hs-minor-mode 1))

(defun morse-sim--depth (state)
  "Return the number of lines with open brackets in the parser's STATE."
  (length (delete-dups (mapcar #'line-number-at-pos (nth 9 state)))))

;;; Scenes

(defvar robray-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?- "_" table)
    (modify-syntax-entry ?# "< b" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    ;; There are no escapes.
    (modify-syntax-entry ?\\ "." table)
    table)
  "Syntax table of scenes.")

(defvar robray-font-lock-keywords
  `((,(regexp-opt robray-statements 'symbols) . font-lock-keyword-face)
    ("\\_<\\(?:frame\\|class\\)\\_>\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-type-face)
    ("\\_<def\\_>\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-variable-name-face)
    (,(regexp-opt robray-attributes 'symbols) . font-lock-variable-name-face)
    (,(regexp-opt robray-words 'symbols) . font-lock-constant-face)
    (,(regexp-opt robray-constants 'symbols) . font-lock-constant-face)
    ("\\_<[0-9]+\\(?:\\.[0-9]*\\)?\\(?:[eEdD][-+]?[0-9]+\\)?" . font-lock-constant-face))
  "Highlighting of scenes.")

(defun robray-indent-line ()
  "Indent the current line of a scene."
  (interactive)
  (morse-sim--indent-line 2))

;;;###autoload
(define-derived-mode robray-mode prog-mode "Robray"
  "Major mode for scenes of morse-sim."
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?:#+\\|//+\\|/\\*+\\)\\s-*")
  (setq-local indent-line-function #'robray-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local imenu-generic-expression
              '(("Frames" "^\\s-*frame\\s-+\\(\"[^\"]*\"\\|\\(?:\\sw\\|\\s_\\)+\\)" 1)
                ("Classes" "^\\s-*class\\s-+\\(\"[^\"]*\"\\|\\(?:\\sw\\|\\s_\\)+\\)" 1)
                ("Definitions" "^\\s-*def\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1)))
  (setq-local font-lock-defaults '(robray-font-lock-keywords))
  (morse-sim--fold "{"))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.robray\\'" . robray-mode))

;;; Simulation files

(defvar morse-sim-ron-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23n" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    table)
  "Syntax table of simulation files.")

(defvar morse-sim-ron-font-lock-keywords
  '(("\\_<\\([[:alpha:]_]\\(?:\\sw\\|\\s_\\)*\\)\\s-*:" 1 font-lock-variable-name-face)
    ("\\_<\\([[:alpha:]_]\\(?:\\sw\\|\\s_\\)*\\)\\s-*(" 1 font-lock-type-face)
    ("\\_<\\(?:true\\|false\\|inf\\|NaN\\)\\_>" . font-lock-constant-face)
    (":\\s-*\\([[:alpha:]_]\\(?:\\sw\\|\\s_\\)*\\)" 1 font-lock-constant-face)
    ("\\_<[0-9][0-9_]*\\(?:\\.[0-9]*\\)?\\(?:[eE][-+]?[0-9]+\\)?" . font-lock-constant-face))
  "Highlighting of simulation files.")

(defun morse-sim-ron-indent-line ()
  "Indent the current line of a simulation file."
  (interactive)
  (morse-sim--indent-line 4))

;;;###autoload
(define-derived-mode morse-sim-ron-mode prog-mode "Simulation"
  "Major mode for simulation files of morse-sim."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local indent-line-function #'morse-sim-ron-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(morse-sim-ron-font-lock-keywords))
  (morse-sim--fold "\\s("))

;;;###autoload
(add-to-list 'magic-mode-alist
             '("\\(?:\\s-\\|\n\\|//.*\\|#!.*\\)*\\(?:Simulation\\|Scenario\\)\\s-*(" . morse-sim-ron-mode))

;;; Language server

(defvar eglot-server-programs)

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `((robray-mode morse-sim-ron-mode) . ,(lambda (&rest _) morse-sim-command))))

(provide 'morse-sim)

;;; morse-sim.el ends here
