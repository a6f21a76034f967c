# Patroni runs this on the first primary, with the address of the new cluster. The password is in the environment.
set -euo pipefail
psql --quiet --set ON_ERROR_STOP=1 --set "password=$SCHOOL_PASSWORD" "$1" <<'SQL'
create role school login password :'password';
create database school owner school;
SQL
