import { type FieldFault, type Problem, refuseWith } from 'hallpass/admin'

/** The sections of a course in their order, each with its lectures in theirs. */
export type CurriculumOrder = readonly {
  readonly id: string
  readonly lecture_ids: readonly string[]
}[]

/**
 * Refuses an order that is not of all the sections and all the lectures that a course has now, each
 * once. A lecture may stand in another section than before.
 *
 * @param curriculum - `wanted`: as it was sent; `sectionIds`, `lectureIds`: what the course has
 */
export function refuseOrder({
  wanted,
  sectionIds,
  lectureIds,
}: {
  wanted: CurriculumOrder
  sectionIds: readonly string[]
  lectureIds: readonly string[]
}): Problem | null {
  const sections = wanted.map(({ id }, index) => ({ id, at: `/sections/${index}/id` }))
  const lectures = wanted.flatMap(({ lecture_ids: ids }, section) =>
    ids.map((id, index) => ({ id, at: `/sections/${section}/lecture_ids/${index}` })),
  )
  const faults = [...faultsOf(sections, sectionIds), ...faultsOf(lectures, lectureIds)]
  return faults.length > 0
    ? refuseWith(
        'unprocessable',
        'the order must name every section and every lecture of the course once',
        faults,
      )
    : null
}

const MAX_FAULTS = 20

function faultsOf(
  sent: readonly { id: string; at: string }[],
  present: readonly string[],
): readonly FieldFault[] {
  const known = new Set(present)
  const seen = new Set<string>()
  const wrong = sent.flatMap(({ id, at: pointer }) => {
    const isAgain = seen.has(id)
    seen.add(id)
    if (!known.has(id)) return [{ pointer, code: 'unknown', message: `the course has no ${id}` }]
    return isAgain ? [{ pointer, code: 'repeated', message: `${id} stands twice` }] : []
  })
  const missing = present
    .filter((id) => !seen.has(id))
    .map((id) => ({ pointer: '/sections', code: 'missing', message: `${id} is left out` }))
  return [...wrong, ...missing].slice(0, MAX_FAULTS)
}

/** The places of an order, as its rows keep them: sections from 0, lectures from 1 through the course. */
export function placesOf(wanted: CurriculumOrder): {
  readonly sections: readonly { readonly id: string; readonly position: number }[]
  readonly lectures: readonly {
    readonly id: string
    readonly section_id: string
    readonly position: number
  }[]
} {
  return {
    sections: wanted.map(({ id }, position) => ({ id, position })),
    lectures: wanted
      .flatMap(({ id: section_id, lecture_ids: ids }) => ids.map((id) => ({ id, section_id })))
      .map((lecture, index) => ({ ...lecture, position: index + 1 })),
  }
}
