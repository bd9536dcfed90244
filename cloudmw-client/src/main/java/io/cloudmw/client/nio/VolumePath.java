package io.cloudmw.client.nio;

import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A path in the file system of a volume, with the rules of Unix paths: {@code /} separates names, and several slashes
 * count as one. Relative paths are resolved against the root. Immutable.
 */
final class VolumePath implements Path {
    private final VolumeFileSystem fileSystem;
    private final boolean absolute;

    /** The empty path has one empty name, the root has none. */
    private final List<String> names;

    private VolumePath(VolumeFileSystem fileSystem, boolean absolute, List<String> names) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = !absolute && names.isEmpty() ? List.of("") : List.copyOf(names);
    }

    /**
     * Parses a path.
     *
     * @throws InvalidPathException when it has a control character
     */
    static VolumePath parse(VolumeFileSystem fileSystem, String text) {
        List<String> names = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == '/') {
                if (i > begin) {
                    names.add(text.substring(begin, i));
                }
                begin = i + 1;
            } else if (text.charAt(i) < 0x20 || text.charAt(i) == 0x7f) {
                throw new InvalidPathException(text, "control character", i);
            }
        }
        return new VolumePath(fileSystem, text.startsWith("/"), names);
    }

    /**
     * Casts a path.
     *
     * @throws ProviderMismatchException when it is of another provider
     */
    static VolumePath of(Path path) {
        if (Objects.requireNonNull(path, "path") instanceof VolumePath here) {
            return here;
        }
        throw new ProviderMismatchException(path.getClass().getName());
    }

    private boolean isEmptyPath() {
        return !absolute && names.size() == 1 && names.get(0).isEmpty();
    }

    private VolumePath relative(List<String> some) {
        return new VolumePath(fileSystem, false, some);
    }

    @Override
    public VolumeFileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public @Nullable VolumePath getRoot() {
        return absolute ? new VolumePath(fileSystem, true, List.of()) : null;
    }

    @Override
    public @Nullable VolumePath getFileName() {
        return names.isEmpty() ? null : relative(names.subList(names.size() - 1, names.size()));
    }

    @Override
    public @Nullable VolumePath getParent() {
        if (names.isEmpty() || (names.size() == 1 && !absolute)) {
            return null;
        }
        return new VolumePath(fileSystem, absolute, names.subList(0, names.size() - 1));
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public VolumePath getName(int index) {
        if (index < 0 || index >= names.size()) {
            throw new IllegalArgumentException("index: " + index + " (expected: 0.." + (names.size() - 1) + ")");
        }
        return relative(names.subList(index, index + 1));
    }

    @Override
    public VolumePath subpath(int beginIndex, int endIndex) {
        if (beginIndex < 0 || endIndex > names.size() || beginIndex >= endIndex) {
            throw new IllegalArgumentException(
                    "subpath: " + beginIndex + ".." + endIndex + " (expected: within 0.." + names.size() + ")");
        }
        return relative(names.subList(beginIndex, endIndex));
    }

    private boolean isOfSameFileSystem(Path other) {
        return other instanceof VolumePath path && path.fileSystem == fileSystem;
    }

    @Override
    public boolean startsWith(Path other) {
        if (!isOfSameFileSystem(Objects.requireNonNull(other))) {
            return false;
        }
        VolumePath prefix = of(other);
        if (prefix.absolute != absolute || prefix.isEmptyPath() != isEmptyPath()) {
            return false;
        }
        return prefix.names.size() <= names.size()
                && names.subList(0, prefix.names.size()).equals(prefix.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!isOfSameFileSystem(Objects.requireNonNull(other))) {
            return false;
        }
        VolumePath suffix = of(other);
        if (suffix.absolute) {
            return equals(suffix);
        }
        if (suffix.isEmptyPath() != isEmptyPath()) {
            return false;
        }
        return suffix.names.size() <= names.size()
                && names.subList(names.size() - suffix.names.size(), names.size())
                        .equals(suffix.names);
    }

    @Override
    public VolumePath normalize() {
        List<String> kept = new ArrayList<>();
        for (String name : names) {
            boolean mayGoUp = !kept.isEmpty() && !kept.get(kept.size() - 1).equals("..");
            if (name.equals("..") && mayGoUp) {
                kept.remove(kept.size() - 1);
            } else if (!name.equals(".") && !(name.equals("..") && absolute)) {
                kept.add(name);
            }
        }
        return new VolumePath(fileSystem, absolute, kept);
    }

    @Override
    public VolumePath resolve(Path other) {
        VolumePath path = of(other);
        if (path.absolute || isEmptyPath()) {
            return path;
        }
        if (path.isEmptyPath()) {
            return this;
        }
        List<String> joined = new ArrayList<>(names);
        joined.addAll(path.names);
        return new VolumePath(fileSystem, absolute, joined);
    }

    @Override
    public VolumePath relativize(Path other) {
        VolumePath path = of(other);
        if (path.equals(this)) {
            return relative(List.of());
        }
        if (path.absolute != absolute) {
            throw new IllegalArgumentException(
                    "other: " + other + " (expected: " + (absolute ? "absolute" : "relative") + ", as " + this + ")");
        }
        if (isEmptyPath()) {
            return path;
        }
        List<String> from = normalize().withoutEmptyName();
        List<String> to = path.normalize().withoutEmptyName();
        int common = 0;
        while (common < Math.min(from.size(), to.size()) && from.get(common).equals(to.get(common))) {
            common++;
        }
        if (from.subList(common, from.size()).contains("..")) {
            throw new IllegalArgumentException("unable to compute a path from " + this + " to " + other);
        }
        List<String> result = new ArrayList<>();
        for (int i = common; i < from.size(); i++) {
            result.add("..");
        }
        result.addAll(to.subList(common, to.size()));
        return relative(result);
    }

    private List<String> withoutEmptyName() {
        return isEmptyPath() ? List.of() : names;
    }

    @Override
    public URI toUri() {
        return fileSystem.uri(toAbsolutePath().toString());
    }

    @Override
    public VolumePath toAbsolutePath() {
        return absolute ? this : new VolumePath(fileSystem, true, withoutEmptyName());
    }

    /** The absolute path without {@code .} and {@code ..}: there are no links, so that no other path names this entry. */
    VolumePath canonical() {
        return toAbsolutePath().normalize();
    }

    /** Volumes have no symbolic links, so this is the normalized path, once it is known to name something. */
    @Override
    public VolumePath toRealPath(LinkOption... options) throws IOException {
        VolumePath real = canonical();
        fileSystem.provider().checkAccess(real);
        return real;
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        if (!(Objects.requireNonNull(watcher, "watcher") instanceof DirectoryWatchService service)) {
            throw new ProviderMismatchException(watcher + " (expected: a watch service of " + fileSystem + ")");
        }
        for (WatchEvent.Modifier modifier : modifiers) {
            // How often to look is the only known modifier; changes are told at once here.
            if (!modifier.getClass().getSimpleName().equals("SensitivityWatchEventModifier")) {
                throw new UnsupportedOperationException("modifier: " + modifier);
            }
        }
        return service.register(this, events);
    }

    @Override
    public int compareTo(Path other) {
        return toString().compareTo(of(other).toString());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof VolumePath path
                && path.fileSystem == fileSystem
                && path.absolute == absolute
                && path.names.equals(names);
    }

    @Override
    public int hashCode() {
        return Objects.hash(System.identityHashCode(fileSystem), absolute, names);
    }

    @Override
    public String toString() {
        return (absolute ? "/" : "") + String.join("/", names);
    }
}
