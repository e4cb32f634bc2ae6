" Syntax of the scene language of morse-sim.
if exists("b:current_syntax")
  finish
endif

syn case match
" A `-` belongs to the name.
syn iskeyword @,48-57,_,-
" generated: keywords of the language
syn keyword robrayStatement frame geometry class object include allow_collision def
syn keyword robrayAttribute parent translation quaternion rpy type axis offset variable
syn keyword robrayAttribute limit_position limit_velocity limit_effort damping dry_friction armature gear ratio
syn keyword robrayAttribute mass center_of_mass inertia isa shape mesh dimension delta
syn keyword robrayAttribute thickness radius height start_radius end_radius color alpha specular
syn keyword robrayAttribute shininess image checker pattern_size scale visual collision no-shadow
syn keyword robrayAttribute friction restitution density convex_parts
syn keyword robrayWord fixed revolute prismatic floating box sphere cylinder cone
syn keyword robrayWord grid capsule
" end
syn match robrayConstant "\v%(\k)@<!%(pi|deg)%(\w)@!"
syn match robrayConstant "π"
syn match robrayNumber "\v%(\k)@<!\d+%(\.\d*)?%([eEdD][-+]?\d+)?"
syn match robrayNumber "\v%(\k)@<!\.\d+%([eEdDsS][-+]?\d+)?"
syn match robrayOperator "[-+*/^]"
syn region robrayString start=+"+ end=+"+
syn match robrayComment "#.*$" contains=robrayTodo,@Spell
syn match robrayComment "//.*$" contains=robrayTodo,@Spell
syn region robrayComment start="/\*" end="\*/" contains=robrayTodo,@Spell
syn keyword robrayTodo TODO FIXME contained
syn region robrayBlock start="{" end="}" transparent fold

hi def link robrayStatement Keyword
hi def link robrayAttribute Identifier
hi def link robrayWord Constant
hi def link robrayConstant Constant
hi def link robrayNumber Number
hi def link robrayOperator Operator
hi def link robrayString String
hi def link robrayComment Comment
hi def link robrayTodo Todo

let b:current_syntax = "robray"
