import type { Type } from '@nestjs/common';
import { BindHostController } from './bind-host/bind-host.controller';
import { DeregisterHostController } from './deregister-host/deregister-host.controller';
import { DownloadHostIgnitionController } from './download-host-ignition/download-host-ignition.controller';
import { InstallHostController } from './install-host/install-host.controller';
import { ListHostsController } from './list-hosts/list-hosts.controller';
import { OverrideIgnitionController } from './override-ignition/override-ignition.controller';
import { ReportHostLogsController } from './report-host-logs/report-host-logs.controller';
import { ResetHostController } from './reset-host/reset-host.controller';
import { ResetValidationController } from './reset-validation/reset-validation.controller';
import { ReviseHostController } from './revise-host/revise-host.controller';
import { SetInstallerArgsController } from './set-installer-args/set-installer-args.controller';
import { ShowHostIgnitionController } from './show-host-ignition/show-host-ignition.controller';
import { ShowHostController } from './show-host/show-host.controller';
import { UnbindHostController } from './unbind-host/unbind-host.controller';

export const HOST_CONTROLLERS: readonly Type[] = [
  BindHostController,
  DeregisterHostController,
  DownloadHostIgnitionController,
  InstallHostController,
  ListHostsController,
  OverrideIgnitionController,
  ReportHostLogsController,
  ResetHostController,
  ResetValidationController,
  ReviseHostController,
  SetInstallerArgsController,
  ShowHostIgnitionController,
  ShowHostController,
  UnbindHostController,
];
