/** FIPS 180-4 example: SHA-256 of "abc". */
export const ABC = {
  text: 'abc',
  hex: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
}
