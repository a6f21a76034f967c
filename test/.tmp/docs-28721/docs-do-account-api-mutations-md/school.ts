// school.ts
import type { LectureKind } from 'hallpass/account'

export interface Course {
  readonly title: string
  readonly sections: readonly {
    readonly id: string
    readonly title: string
    readonly lectures: readonly {
      readonly id: string
      readonly title: string
      readonly kind: LectureKind
      readonly seconds: number | null
    }[]
  }[]
}

export const courses: ReadonlyMap<string, Course> = new Map([
  [
    'glazing',
    {
      title: 'Glazing',
      sections: [
        {
          id: 's1',
          title: 'Before the kiln',
          lectures: [
            { id: 'l1', title: 'What a glaze is', kind: 'VIDEO', seconds: 600 },
            { id: 'l2', title: 'Recipes', kind: 'DOCUMENT', seconds: null },
          ],
        },
      ],
    },
  ],
  ['throwing', { title: 'Throwing', sections: [] }],
])

/** Epoch seconds. */
export const events = new Map([
  ['open-day', { title: 'Open day', startsAt: 1_796_119_200, endsAt: 1_796_130_000 }],
])

export interface User {
  readonly email: string | null
  name: string | null
  locale: string | null
  timeZone: string | null
  picture: string | null
  readonly joinedAt: number
}

export const users = new Map<string, User>([
  [
    'mem_mei',
    {
      email: 'mei-ling.chou@example.com',
      name: 'Mei-Ling Chou',
      locale: 'en',
      timeZone: null,
      picture: null,
      joinedAt: 1_760_000_000,
    },
  ],
])
