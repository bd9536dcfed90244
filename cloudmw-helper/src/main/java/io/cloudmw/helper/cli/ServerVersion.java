package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Build;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}: the release, and the commit it was built from. */
final class ServerVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {Build.describe(ServerVersion.class)};
    }
}
