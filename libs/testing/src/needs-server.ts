/**
 * A suite that needs a server which the machine may not have: it runs with the server's address when the environment names
 * one, and otherwise shows up as skipped under a name that says what to set.
 */
export const needsServer = (variable: string, example: string, subject: string, suite: (url: string) => void): void => {
  const url = process.env[variable];
  const name = url ? subject : `${subject} (skipped: set ${variable}, such as ${example})`;
  (url ? describe : describe.skip)(name, () => {
    if (url) suite(url);
    else it('keeps the promises of its port', () => expect(url).toBeDefined());
  });
};
