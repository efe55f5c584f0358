/** The values of an infra-env's kernel arguments, as the contract keeps them: the text of a JSON list of operations. */
export function appendedArguments(stored: string): readonly string[] {
  if (stored === '') return [];
  const list = JSON.parse(stored) as readonly { readonly operation?: string; readonly value?: string }[];
  return list.flatMap(({ operation, value }) => (operation === 'append' && value ? [value] : []));
}
