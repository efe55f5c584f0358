import { type Environment, readReportReader, readSettings, type ReadReport } from '@muster/nest-kit';

export const READ_REPORT = Symbol('ReadReport');

/**
 * Returns the parser for step outputs.
 * @throws SettingsError with every setting that is not valid
 */
export const readConfig = (environment: Environment): ReadReport => readSettings(environment, readReportReader);
