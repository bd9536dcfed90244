package io.cloudmw.cli.command;

import io.cloudmw.core.config.Build;
import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}: the release, and the commit of the build. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {Build.describe(Version.class)};
    }
}
