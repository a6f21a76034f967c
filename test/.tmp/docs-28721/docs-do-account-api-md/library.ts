// library.ts
import { defineAccountFields } from 'hallpass/account'
import { loansOf } from './loans.js'

export const library = defineAccountFields({
  typeDefs: `
    extend type Viewer {
      "Lists the books that the person has borrowed. Call it to see what is due."
      libraryLoans: [Loan!]! @requiresScope(scope: "library:read")
    }
    type Loan { title: String! dueAt: DateTime! }`,
  resolvers: { Viewer: { libraryLoans: (_profile, _args, { member }) => loansOf(member.subject) } },
})
