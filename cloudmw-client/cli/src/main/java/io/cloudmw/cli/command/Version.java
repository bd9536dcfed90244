package io.cloudmw.cli.command;

import io.cloudmw.core.config.Build;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} says: the release, and the commit it was built of. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {Build.describe(Version.class)};
    }
}
