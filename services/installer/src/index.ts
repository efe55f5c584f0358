export { CommandFailed, execute, type CommandOptions, type CommandResult, type Host } from './host.port';
export { type ConfigRequest, type InstallerLogEntry, type InstallerOptions, type Stage } from './installation';
export { PHASES, type Phase } from './phases.table';
export { InstallationFailed, runInstaller } from './run-installer';
export type { InstallerSettings, InstallRole, ProgramSource } from './settings';
export { parseIgnition } from './host-ignition';
export { parseInstallFlags } from './command-line';
export { linuxHost } from './linux/linux-host';
