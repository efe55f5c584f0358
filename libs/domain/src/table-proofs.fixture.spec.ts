import { type DecisionTable, findGaps, findOverlaps, type TableTypes } from '@muster/decision';
import { type ProblemCode, PROBLEMS } from '@muster/problems';

/** The proofs that every decision table of the domain passes. */
export function testTableProofs<T extends TableTypes & { readonly Code: ProblemCode }>({
  rows,
  variables,
  statuses,
  commands,
}: DecisionTable<T>): void {
  it('has no two rows that could both apply', () => {
    expect(findOverlaps(rows)).toEqual([]);
  });

  it.each([...commands])('covers %s in every status, for all values of the guard variables', (command) => {
    expect(findGaps(rows, variables, statuses, [command])).toEqual([]);
  });

  it('gives each row a unique id', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$/.test(id))).toEqual([]);
  });

  it('has an explanation for each row', () => {
    expect(rows.filter(({ why }) => !/^[A-Z].*\.$/.test(why)).map(({ id }) => id)).toEqual([]);
  });

  it('guards with values that the variables have', () => {
    const unknown = rows.flatMap(({ id, when = {} }) =>
      Object.entries<readonly unknown[] | undefined>(when).flatMap(([name, values = []]) => {
        const known: readonly unknown[] = variables[name] ?? [];
        return values.filter((value) => !known.includes(value)).map((value) => [id, name, value]);
      }),
    );
    expect(unknown).toEqual([]);
  });

  it('refuses with codes of client errors and without events', () => {
    const wrong = rows.filter(
      ({ refuse, to, emit, status }) =>
        refuse && (to !== 'stay' || emit || status || ![400, 404, 409].includes(PROBLEMS[refuse.code].status)),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
}
