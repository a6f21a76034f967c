#!/bin/sh
# Makes the certificates of this folder anew, with OpenSSL 3. They are for tests on 127.0.0.1 alone:
# nothing else trusts their authority, and their keys are public.
#
#   authority.pem   the authority that the fetcher under test trusts
#   host.pem        app.example, valid until the year 2999
#   expired.pem     app.example, valid for one day of the year 2020
#   host-key.pem    the key of both
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

openssl ecparam -name prime256v1 -genkey -noout -out "$work/authority-key.pem"
openssl ecparam -name prime256v1 -genkey -noout -out host-key.pem

cat >"$work/ca.cnf" <<CONFIG
[ca]
default_ca = test
[test]
new_certs_dir = $work
database = $work/index
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[host]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:app.example
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
CONFIG
: >"$work/index"

issue() { # NAME KEY SUBJECT EXTENSIONS START END [more options]
  name=$1 key=$2 subject=$3 extensions=$4 start=$5 end=$6
  shift 6
  openssl req -new -key "$key" -subj "/CN=$subject" -out "$work/request.pem"
  openssl ca -batch -notext -config "$work/ca.cnf" -keyfile "$work/authority-key.pem" \
    -extensions "$extensions" -startdate "$start" -enddate "$end" \
    -in "$work/request.pem" -out "$name" "$@"
}

issue authority.pem "$work/authority-key.pem" 'hallpass test authority' authority \
  20200101000000Z 29991231235959Z -selfsign
issue host.pem host-key.pem app.example host \
  20200101000000Z 29991231235959Z -cert authority.pem
issue expired.pem host-key.pem app.example host \
  20200101000000Z 20200102000000Z -cert authority.pem
