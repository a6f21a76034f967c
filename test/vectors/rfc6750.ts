/** RFC 6750 §2.1: the example request. */
export const SECTION_2_1 = {
  authorization: 'Bearer mF_9.B5f-4.1JqM',
  accessToken: 'mF_9.B5f-4.1JqM',
}
