# Runs the programs whose outcome must be the same with and without the action, and keeps what each said and its code.
mkdir outcome
for program in green fail leave grow; do
  code=0
  "$PYTHON" "$program.py" >"outcome/$program.out" 2>"outcome/$program.err" || code=$?
  echo "$code" >"outcome/$program.code"
done
