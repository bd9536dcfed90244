package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Build;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} says: the release, and the commit it was built of. */
final class ServerVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {Build.describe(ServerVersion.class)};
    }
}
