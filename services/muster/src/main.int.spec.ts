import { join } from 'node:path';
import { runProgram } from '@muster/testing';

const run = async (...args: readonly string[]) => {
  const program = runProgram(join(__dirname, 'main.ts'), args);
  const { code, errors } = await program.ended();
  return { code, errors, lines: program.lines };
};

describe('the command line', () => {
  it('shows its commands on request', async () => {
    const { code, lines } = await run('--help');
    expect(code).toBe(0);
    expect(lines.join('\n')).toMatch(/^Usage: [^]*registration[^]*doctor[^]*store <command>/);
  }, 60_000);

  it('refuses an unknown command with the commands that exist', async () => {
    const { code, errors } = await run('nothing');
    expect(code).toBe(2);
    expect(errors).toMatch(/^muster: Command 'nothing' is unknown\.\nUsage: /);
  }, 60_000);
});
