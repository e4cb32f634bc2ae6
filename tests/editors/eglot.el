;;; eglot.el --- A dialogue with the language server in Emacs, as text  -*- lexical-binding: t; -*-

(require 'package)
;; Debian's packages, which `--quick' leaves out.
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(unless (require 'eglot nil t)
  (princ "no Eglot\n")
  (kill-emacs 0))
(require 'flymake)

(defun wait-for (condition)
  "Wait until CONDITION holds."
  (with-timeout (60 (error "Timeout"))
    (while (not (funcall condition))
      (accept-process-output nil 0.05))))

(defun ask (method before)
  "Send a request METHOD about the position after the text BEFORE."
  (goto-char (point-min))
  (search-forward before)
  (jsonrpc-request (eglot-current-server) method (eglot--TextDocumentPositionParams)))

(setq morse-sim-command (list (getenv "MORSE_SIM") "lsp"))
(find-file "table.robray")
(apply #'eglot--connect (eglot--guess-contact))
(wait-for (lambda () (eglot-managed-p)))
(goto-char (point-max))
(insert "frame lid { parent tabel; }\n")
(flymake-mode 1)
(eglot--signal-textDocument/didChange)
(wait-for (lambda () (flymake-start) (flymake-diagnostics)))
(dolist (found (flymake-diagnostics))
  (princ (format "%d: %s\n" (line-number-at-pos (flymake-diagnostic-beg found))
                 (car (split-string (flymake-diagnostic-text found) "\n")))))
(princ (plist-get (plist-get (ask :textDocument/hover "45*d") :contents) :value))
(let ((found (elt (ask :textDocument/definition "isa st") 0)))
  (princ (format "%s\n" (file-name-nondirectory (plist-get found :uri)))))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
