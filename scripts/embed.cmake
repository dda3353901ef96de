# cmake -DFOLDER=configs/templates -DOUT=template_table.c -P scripts/embed.cmake: the templates as a table in C.
file(GLOB files ${FOLDER}/*.txt)
list(SORT files)
set(table "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
  string(APPEND table "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
file(WRITE ${OUT} "/* Made from configs/templates by scripts/embed.cmake. */\n#include \"io/template/template.h\"\n\n"
  "const Template template_table[] = {\n${table}    {0},\n};\n")
