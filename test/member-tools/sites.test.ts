import { type AccountExecutor, accountTools, defineTools, type ToolContext } from 'hallpass/mcp'
import { testSite } from 'hallpass/testing'
import { expect, it } from 'vitest'
import { actionOf } from './support.js'

/** An executor that answers when it is told to. */
function open(name: string): { account: AccountExecutor; answer: () => void } {
  let answer = (): void => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  const execute = async () => {
    await asked
    return { errors: [{ message: name, extensions: { code: 'BAD_USER_INPUT' } }] }
  }
  return { account: { execute }, answer }
}

it('gives the tools of every site the same schemas, and each its own executor', async () => {
  const [one, other] = [open('one'), open('other')]
  const [ofOne, ofOther] = [accountTools(one.account), accountTools(other.account)]
  for (const [at, { actions }] of ofOne.entries()) {
    expect(actions[0].input).toBe(ofOther[at]!.actions[0].input)
    expect(actions[0].output).toBe(ofOther[at]!.actions[0].output)
  }
  // Both calls are under way with one context.
  const context = { caller: { kind: 'member', access: {} }, requestId: 'r', now: 1 } as unknown as ToolContext // prettier-ignore
  const calls = [ofOne, ofOther].map((tools) => actionOf(tools, 'get_my_profile').run(context, {}))
  other.answer()
  one.answer()
  expect(await Promise.all(calls)).toMatchObject([{ message: 'one' }, { message: 'other' }])
})

it('names where a tool comes from that is there twice', () => {
  const tools = accountTools(open('one').account)
  expect(() => defineTools([...tools, ...tools], testSite().site)).toThrow('accountTools(account)')
})
