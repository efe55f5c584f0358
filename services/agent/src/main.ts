import { errorMessage } from '@muster/schema';
import { runAgentProgram } from './agent-program';

runAgentProgram(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\nSee --help.\n`);
  process.exitCode = 1;
});
