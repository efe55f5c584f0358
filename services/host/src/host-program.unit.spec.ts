import { runHostProgram } from './host-program';

it('the help begins with the name of the program, by which agents recognize an upgrade', async () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await runHostProgram(['help'])).toBe(0);
  expect(write.mock.calls.join('')).toMatch(/^muster-host: /);
  write.mockRestore();
});
