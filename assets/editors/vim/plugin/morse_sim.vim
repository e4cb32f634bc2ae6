" Starts the language server of morse-sim in Neovim. `g:morse_sim_command` is its command line, a list.
if exists("g:loaded_morse_sim") || !has("nvim")
  finish
endif
let g:loaded_morse_sim = 1

augroup morse_sim
  autocmd!
  autocmd FileType robray,ron lua require("morse_sim").start()
augroup END
