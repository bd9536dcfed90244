package io.cloudmw.helper.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} says: the release this was built as. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String built = Version.class.getPackage().getImplementationVersion();
        return new String[] {"cloudmw " + (built == null ? "(not from its jar)" : built)};
    }
}
