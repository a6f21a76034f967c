/** What `unshare` needs before other options: who is not root becomes root of a namespace of users. */
export const AS_ROOT: readonly string[] =
  process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
