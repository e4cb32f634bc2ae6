" Syntax of RON, the notation of simulation files.
if exists("b:current_syntax")
  finish
endif

syn match ronField "\<\h\w*\ze\s*:"
syn match ronName "\<\h\w*\ze\s*("
syn match ronWord "\<\h\w*\>\ze\s*[,)\]}]"
syn keyword ronBoolean true false
syn keyword ronNumber inf NaN
syn match ronNumber "[-+]\?\<\d[0-9_]*\(\.\d*\)\?\([eE][-+]\?\d\+\)\?\>"
syn match ronNumber "[-+]\?\.\d\+\([eE][-+]\?\d\+\)\?\>"
syn region ronString start=+"+ skip=+\\\\\|\\"+ end=+"+ contains=ronEscape
syn match ronEscape +\\.+ contained
syn region ronKey start=+"+ skip=+\\\\\|\\"+ end=+"\ze\s*:+ oneline
syn match ronComment "//.*$" contains=ronTodo,@Spell
syn region ronComment start="/\*" end="\*/" contains=ronTodo,@Spell
syn keyword ronTodo TODO FIXME contained
syn region ronGroup start="(" end=")" transparent fold
syn region ronGroup start="\[" end="\]" transparent fold
syn region ronGroup start="{" end="}" transparent fold

hi def link ronField Identifier
hi def link ronKey Identifier
hi def link ronName Structure
hi def link ronWord Constant
hi def link ronBoolean Boolean
hi def link ronNumber Number
hi def link ronString String
hi def link ronEscape Special
hi def link ronComment Comment
hi def link ronTodo Todo

let b:current_syntax = "ron"
