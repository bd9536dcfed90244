package io.cloudmw.client.tree;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The rule for names of files of a volume that become files of a local directory: they lie in that directory, on any
 * system. Stateless.
 */
final class LocalNames {
    /** The separator of directories where names have the rules of Windows. */
    private static final String WINDOWS = "\\";

    private static final Pattern NOT_ON_WINDOWS = Pattern.compile("[<>:\"/\\\\|?*]|[. ]$");

    /** Names of devices, which Windows has in every directory and with every extension. */
    private static final Pattern DEVICE = Pattern.compile(
            "(con|prn|aux|nul|conin\\$|conout\\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *([.:].*)?",
            Pattern.CASE_INSENSITIVE);

    private LocalNames() {}

    /**
     * Returns the path of the file with this name in the directory.
     *
     * @throws IllegalArgumentException when no file there can have the name
     */
    static Path in(Path directory, Path name) {
        require(name.toString(), directory.getFileSystem().getSeparator());
        if (name.isAbsolute() || name.getRoot() != null || name.getNameCount() != 1) {
            throw refusal("leads out of its directory");
        }
        return directory.resolve(name);
    }

    /**
     * Checks a name on a system whose directories are separated so.
     *
     * @throws IllegalArgumentException when no file can have it
     */
    static void require(String name, String separator) {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("/") || name.contains(separator)) {
            throw refusal("leads out of its directory");
        }
        boolean windows = separator.equals(WINDOWS);
        if (windows
                && (NOT_ON_WINDOWS.matcher(name).find() || DEVICE.matcher(name).matches())) {
            throw refusal("is none that Windows allows");
        }
    }

    private static IllegalArgumentException refusal(String why) {
        return new IllegalArgumentException("its name " + why);
    }
}
