import { type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { distinct, newId, tags } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import type { Db, Kit } from '../admin/kit.js'
import { refuseAddress, refuseMemberChange, refuseOptIn, refuseRoles } from './rules.js' // prettier-ignore
import { Member, memberId, memberResource, memberRolesSent, memberSent } from './shape.js'

/** Defines the operations on members. None of them changes the owner, or gives a member the caller's own rank. */
export function memberOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = frameOf(kit, {
    scope: 'members',
    prefix: 'mem',
    item: Member,
    rows: memberResource,
  })

  /** Changes a member, if the caller may change this member. */
  const change = (
    context: OperationContext,
    id: string,
    touchesStanding: (current: Member) => boolean,
    apply: (db: Db, current: Member) => Promise<Problem | void>,
  ): Promise<Member | Problem> =>
    kit.change<Member>(context, memberResource, id, async (db, current) => {
      const refused = refuseMemberChange({
        callerRoles: context.access.person.roles,
        member: current,
        touchesStanding: touchesStanding(current),
      })
      return refused ?? apply(db, current)
    })

  const setSuspended = (
    context: OperationContext,
    id: string,
    suspended: boolean,
  ): Promise<Member | Problem> =>
    change(
      context,
      id,
      () => true,
      async (db, { state }) => {
        if ((state === 'suspended') === suspended) return
        await db.update('person', id, { suspended, updated_at: kit.now() })
        // A reactivated member has to sign in again.
        await db.query('delete from school_session where site = $1 and member_id = $2', id)
      },
    )

  return [
    frame.list({
      description: 'The list includes staff.',
      filters: {
        email: Member.shape.email.unwrap().optional(),
        state: Member.shape.state.optional(),
        roles: memberRolesSent.optional(),
        tags: tags.optional().describe('Return only members who have all of these tags.'),
        marketing_opt_in: z.boolean().optional(),
      },
      sorts: ['created_at', 'updated_at', 'name', 'email', 'last_seen_at'],
    }),
    frame.get(),
    defineOperation({
      ...frame.save,
      id: 'members.invite',
      summary: 'Invite a person',
      description: 'The role of the new member must be below the role of the caller.',
      method: 'POST',
      path: '/members',
      tool: 'invite_member',
      input: z.strictObject({
        email: memberSent.email,
        name: memberSent.name.default(null),
        phone: memberSent.phone.default(null),
        locale: memberSent.locale.default(null),
        roles: memberRolesSent.default(['student']),
        tags: tags.default([]),
      }),
      status: 201,
      events: ['member.invited'],
      run: (context, { roles, tags: sent, ...member }) =>
        kit.create<Member>(context, memberResource, async (db) => {
          const refused =
            refuseRoles(context.access.person.roles, roles) ??
            (await refuseTaken(db, member.email, ''))
          if (refused !== null) return refused
          const id = newId('mem')
          await db.insert('person', {
            ...member,
            member_id: id,
            role: roles[0],
            tags: distinct(sent),
            joined_at: kit.now(),
            invited_at: kit.now(),
            updated_at: kit.now(),
          })
          return id
        }),
    }),
    defineOperation({
      ...frame.save,
      id: 'members.update',
      summary: 'Change a member',
      description:
        'Fields that are omitted keep their values. The email address can be corrected until the member accepts the invitation.',
      method: 'PATCH',
      path: '/members/{id}',
      tool: { name: 'update_member', argument: 'action', value: 'update' },
      input: z.strictObject({
        id: memberId,
        ...z.strictObject(memberSent).partial().shape,
        roles: memberRolesSent.optional(),
      }),
      precondition: 'optional',
      events: ['member.updated', 'member.role_changed'],
      run: (context, { id, roles, ...changes }) => {
        const isPromotion = (current: Member): boolean =>
          roles !== undefined && roles[0] !== current.roles[0]
        // The person who receives the invitation also receives its role.
        const isReaddressed = ({ email }: Member): boolean =>
          changes.email !== undefined && changes.email !== email
        const touchesStanding = (current: Member): boolean =>
          isPromotion(current) || isReaddressed(current)
        return change(context, id, touchesStanding, async (db, current) => {
          const refused =
            (isPromotion(current) ? refuseRoles(context.access.person.roles, roles ?? []) : null) ??
            refuseOptIn(current.marketing_opt_in, changes.marketing_opt_in) ??
            (await refuseNewAddress(db, current, changes.email))
          return (
            refused ??
            db.update('person', id, { ...changes, role: roles?.[0], updated_at: kit.now() })
          )
        })
      },
    }),
    defineOperation({
      ...frame.save,
      id: 'members.set_tags',
      summary: 'Replace the tags of a member',
      method: 'PUT',
      path: '/members/{id}/tags',
      tool: { name: 'update_member', argument: 'action', value: 'set_tags' },
      input: z.strictObject({ id: memberId, tags }),
      precondition: 'optional',
      events: ['member.updated'],
      run: (context, { id, tags: sent }) =>
        change(
          context,
          id,
          () => false,
          (db) => db.update('person', id, { tags: distinct(sent), updated_at: kit.now() }),
        ),
    }),
    defineOperation({
      ...frame.action('suspend'),
      summary: 'Suspend a member',
      description:
        'The member cannot sign in, and apps cannot act for the member. The role of the member must be below the role of the caller. Repeating the call has no further effect.',
      destructive: true,
      idempotent: true,
      tool: { name: 'set_member_state', argument: 'action', value: 'suspend' },
      events: ['member.suspended'],
      run: (context, { id }) => setSuspended(context, id, true),
    }),
    defineOperation({
      ...frame.action('reactivate'),
      summary: 'Reactivate a suspended member',
      description:
        'The role of the member must be below the role of the caller. Repeating the call has no further effect.',
      idempotent: true,
      tool: { name: 'set_member_state', argument: 'action', value: 'reactivate' },
      events: ['member.reactivated'],
      run: (context, { id }) => setSuspended(context, id, false),
    }),
  ]
}

async function refuseNewAddress(
  db: Db,
  { id, state, email }: Member,
  wanted: string | undefined,
): Promise<Problem | null> {
  if (wanted === undefined || wanted === email) return null
  return refuseAddress(state) ?? refuseTaken(db, wanted, id)
}

async function refuseTaken(db: Db, email: string, id: string): Promise<Problem | null> {
  const [other] = await db.query(
    `select member_id from school_person
     where site = $1 and lower(email) = lower($2) and member_id <> $3`,
    email,
    id,
  )
  return other === undefined
    ? null
    : refuseWith('conflict', `${String(other['member_id'])} already has this email address`)
}
