import { type Environment, SettingsReader, unknownSettings } from '@muster/nest-kit';
import 'reflect-metadata';
import { allFindings, type Finding, findingText, localFindings } from './doctor';
import { type RunningMuster, startAlone, startEmbedded } from './embedded';
import { builtHostBinaries } from './host-files';
import { createLogger, createPrinter, TEXT_PRINTER } from './logger';
import { realSurroundings } from './probes';
import { checkSettings, SERVICES, type StartableService } from './services';
import { describeFailure, EXIT_CODES, StartError } from './start-error';
import { runStoreCommand } from './store-command';
import { markWithAllocations } from './threads';

const USAGE = `Usage: npm start [-- <command>]
  without a command    start all services in one process
  <service>            start one service: ${Object.keys(SERVICES).join(', ')}
  doctor               check the settings
  store <command>      maintain the event store: stats, verify, backup <new file>, backup --all <new directory>, compact
Settings are environment variables; docs/reference/settings.md lists them.`;
/** The checks that concern a service that runs alone: of settings that it reads, and of the machine. */
const CHECKS_ALONE: { readonly [service in StartableService]?: readonly string[] } = {
  ignition: ['addresses', 'catalogue', 'clock', 'toolchain'],
  image: ['disk'],
  registration: ['settings'],
  validation: ['settings'],
};
const isService = (name: string): name is StartableService => Object.hasOwn(SERVICES, name);
const ALL_SERVICES = Object.keys(SERVICES).filter(isService);
/** Commands with output for operators. */
const COMMANDS: readonly (string | undefined)[] = ['doctor', 'store'];
const printer = COMMANDS.includes(process.argv[2]) ? TEXT_PRINTER : createPrinter(process.env);
const CLOSE_MAX_MS = 5_000;
const PARENT_CHECK_MS = 1_000;

/**
 * Starts all services (`main.js`) or one service (`main.js <service>`). `main.js doctor` checks the settings, `main.js
 * store` maintains the event store.
 */
async function main(args: readonly string[], environment: Environment): Promise<void> {
  // Muster works on without its log: without a listener, a line that cannot be written, as on a full disk, would end the process.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const [name, ...others] = args;
  if (name === '--help' || name === '-h' || name === 'help') return console.log(USAGE);
  if (name === 'store') return runStoreCommand(others, environment, (line) => console.log(line));
  if (name !== undefined && name !== 'doctor' && !isService(name))
    throw new StartError('settings', `Command '${name}' is unknown.\n${USAGE}`);
  if (others.length > 0)
    throw new StartError(
      'settings',
      `Command '${name}' takes no arguments, but '${others.join(' ')}' follows it. Start each service in a process of its own.\n${USAGE}`,
    );
  const startedAt = performance.now();
  // Either is a defect. The process ends with the reason, so that a supervisor restarts it.
  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (reason: unknown) => {
      const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
      printer.fail(`${event === 'uncaughtException' ? 'uncaught error' : 'unhandled rejection'}: ${text}`);
      process.exit(EXIT_CODES.failed);
    });
  const settings = { ...environment, ...builtHostBinaries(new SettingsReader(environment)) };
  // A signal ends the check with an exit code of its own: it must not look like a check without errors.
  if (name === 'doctor') return examine(settings);
  const running: { muster?: RunningMuster } = {};
  let isStopping = false;
  // npm forwards Ctrl-C to a process that already received it from the terminal, so only the first signal counts.
  const stop = (): void => {
    if (!isStopping) void close(running.muster);
    isStopping = true;
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (environment.npm_lifecycle_event !== undefined) watchParent(stop);

  const logger = createLogger(environment);
  for (const { problem, remedy } of unknownFindings(environment)) logger.warn(`${problem} ${remedy}`, 'muster');
  // The findings would describe the default in place of a wrong value.
  checkSettings(settings, name === undefined ? ALL_SERVICES : [name], name !== undefined);
  for (const finding of await localFindings(settings, realSurroundings(settings)))
    if (name === undefined || CHECKS_ALONE[name]?.includes(finding.check)) logger.warn(findingText(finding), 'doctor');
  const muster = name === undefined ? await startEmbedded(settings, logger) : await startAlone(name, settings, logger);

  running.muster = muster;
  // Not before the start: a replay of 1,000,000 events would need 50 MB more.
  markWithAllocations();
  printer.say(`${name ?? 'all services'} started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  for (const service of muster.services)
    for (const endpoint of service.endpoints) printer.say(`${service.name} on ${endpoint}`);
}

/** Prints every finding with its remedy. The exit code is that of invalid settings when one of them is an error. */
async function examine(environment: Environment): Promise<void> {
  checkSettings(environment, ALL_SERVICES, false);
  const findings = [
    ...unknownFindings(environment),
    ...(await allFindings(environment, realSurroundings(environment))),
  ];
  for (const finding of findings) console.log(`${finding.severity}: ${findingText(finding)}`);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  console.log(`muster: errors: ${errors}, warnings: ${findings.length - errors}`);
  process.exit(errors > 0 ? EXIT_CODES.settings : EXIT_CODES.stopped);
}

const unknownFindings = (environment: Environment): readonly Finding[] =>
  unknownSettings(environment).map((variable) => ({
    severity: 'warning',
    check: 'settings',
    problem: `The environment sets ${variable}, which is not a setting.`,
    remedy: 'See docs/reference/settings.md.',
  }));

/** A killed npm cannot forward a signal. Its child then gets another parent process. */
function watchParent(stop: () => void): void {
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && stop(), PARENT_CHECK_MS).unref();
}

/** Closes everything within CLOSE_MAX_MS. During the start the process exits immediately, which also ends the bus. */
async function close(muster: RunningMuster | undefined): Promise<void> {
  const timeout = setTimeout(() => {
    printer.fail(`stopping took longer than ${CLOSE_MAX_MS / 1_000} s; the process ends now`);
    process.exit(EXIT_CODES.stopped);
  }, CLOSE_MAX_MS);
  await muster?.close().catch((error: unknown) => printer.fail(String(error)));
  clearTimeout(timeout);
  process.exit(EXIT_CODES.stopped);
}

main(process.argv.slice(2), process.env).catch((error: unknown) => {
  const { reason, lines } = describeFailure(error, new SettingsReader(process.env));
  for (const line of lines) printer.fail(line);
  process.exit(EXIT_CODES[reason]);
});
