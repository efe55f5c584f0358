import { type Environment, readReportReader, readSettings, type ReadReport } from '@muster/nest-kit';

export const READ_REPORT = Symbol('ReadReport');

/** The reader of step outputs. @throws SettingsError with every setting that cannot be used */
export const readConfig = (environment: Environment): ReadReport => readSettings(environment, readReportReader);
