import { type FieldFault, type Problem, refuseWith } from 'hallpass/admin'

/** The sections of a course in order, each with its lectures in order. */
export type CurriculumOrder = readonly {
  readonly id: string
  readonly lecture_ids: readonly string[]
}[]

/**
 * Refuses an order that does not name each section and each lecture of the course exactly
 * once. A lecture may move to another section.
 *
 * @param curriculum - `wanted`: the order in the request; `sectionIds`, `lectureIds`: those of the course
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
    return isAgain ? [{ pointer, code: 'repeated', message: `${id} is listed twice` }] : []
  })
  const missing = present
    .filter((id) => !seen.has(id))
    .map((id) => ({ pointer: '/sections', code: 'missing', message: `${id} is missing` }))
  return [...wrong, ...missing].slice(0, MAX_FAULTS)
}

/** The positions that the rows store: from 0 for sections, and from 1 across the course for lectures. */
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
