" Detects scenes and simulation files of morse-sim.
autocmd BufRead,BufNewFile *.robray setfiletype robray
autocmd BufRead,BufNewFile *.ron setfiletype ron
