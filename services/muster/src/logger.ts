import { type Environment, RequestLogEntry, SettingsReader } from '@muster/nest-kit';
import { ConsoleLogger, type LoggerService, type LogLevel } from '@nestjs/common';

const LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/** The logger of the process: one line per entry, colours only on a terminal, entries from LOG_LEVEL upwards. */
export function createLogger(environment: Environment): LoggerService {
  const settings = new SettingsReader(environment);
  const level = settings.get('LOG_LEVEL');
  return new OneLineLogger({
    prefix: 'muster',
    json: settings.get('LOG_FORMAT') === 'json',
    colors: process.stdout.isTTY === true && settings.get('LOG_FORMAT') !== 'json',
    logLevels: LEVELS.slice(0, LEVELS.indexOf(level === 'info' ? 'log' : level) + 1),
  });
}

/** Prints lines that LOG_LEVEL does not hide: endpoints, and why a process ends. */
export interface Printer {
  say(text: string): void;
  /** To standard error. */
  fail(text: string): void;
}

export const TEXT_PRINTER: Printer = {
  say: (text) => console.log(`muster: ${text}`),
  fail: (text) => console.error(`muster: ${text}`),
};

/** With LOG_FORMAT=json each line is an object, because programs that read the log read these lines too. */
export function createPrinter(environment: Environment): Printer {
  if (new SettingsReader(environment).get('LOG_FORMAT') !== 'json') return TEXT_PRINTER;
  const logger = new OneLineLogger({ json: true, colors: false, logLevels: [...LEVELS] });
  return { say: (text) => logger.log(text, 'muster'), fail: (text) => logger.error(text, 'muster') };
}

/**
 * Adds the ids of the request to its entries. Line breaks, as in stack traces, are replaced, so that collectors receive
 * one line per entry.
 */
class OneLineLogger extends ConsoleLogger {
  protected override stringifyMessage(message: unknown, logLevel: LogLevel): unknown {
    const text: unknown = super.stringifyMessage(
      message instanceof RequestLogEntry ? String(message) : message,
      logLevel,
    );
    return typeof text === 'string' ? text.replace(/\s*\n\s*/g, ' | ') : text;
  }

  protected override getJsonLogObject(
    message: unknown,
    options: Parameters<ConsoleLogger['getJsonLogObject']>[1],
  ): ReturnType<ConsoleLogger['getJsonLogObject']> {
    if (!(message instanceof RequestLogEntry)) return super.getJsonLogObject(message, options);
    return { ...super.getJsonLogObject(message.text, options), ...message.ids };
  }

  protected override printStackTrace(stack: string): void {
    // The JSON object of the entry contains it.
    if (stack && !this.options.json) process.stderr.write(`${stack.replace(/\s*\n\s*/g, ' | ')}\n`);
  }
}
