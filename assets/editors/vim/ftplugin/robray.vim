" Settings for scenes of morse-sim.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://,:#
setlocal shiftwidth=2 softtabstop=2 expandtab
setlocal iskeyword+=-
" `gf` and `[i` follow includes.
setlocal include=^\\s*include
setlocal suffixesadd=.robray
setlocal foldmethod=syntax foldlevel=99
if has("nvim")
  lua require("morse_sim").highlight()
endif

let b:undo_ftplugin = "setlocal commentstring< comments< shiftwidth< softtabstop< expandtab< iskeyword<"
      \ . " include< suffixesadd< foldmethod< foldlevel<"
