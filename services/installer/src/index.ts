export { controllerManifests } from './bootstrap/controller-manifests';
export { CommandFailed, execute, type CommandOptions, type CommandResult, type Host } from './host.port';
export {
  type ConfigRequest,
  type InstallerLogEntry,
  type InstallerOptions,
  type Stage,
  parseIgnition,
} from './installation';
export { PHASES, type Phase, InstallationFailed, runInstaller } from './run-installer';
export { type InstallerSettings, type InstallRole, type ProgramSource, parseInstallFlags } from './settings';
export { linuxHost } from './linux-host';
