/** RFC 4231 §4.3, test case 2: a key and a message in ASCII. */
export const CASE_2 = {
  key: 'Jefe',
  message: 'what do ya want for nothing?',
  hex: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
}
