package io.cloudmw.lab.torture.model;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A model of all files of a run: the changes that clients requested, their outcomes, and the answers that are therefore
 * allowed. Each check is a necessary condition of linearizability for one name, so every finding is a real violation:
 *
 * <ul>
 *   <li>A read may show a state only after its change was requested, and not after a later state replaced it. A later
 *       state is one whose change began after this one took effect, or one that a later answer has shown.
 *   <li>An acknowledged change has taken effect; a refused change never does. A change whose answer was lost may or may
 *       not take effect. Once an answer shows it, all its effects have happened: a rename is visible at both names.
 *   <li>A put whose answer was lost cannot take effect after a later put was acknowledged, since a commit compares the
 *       current version, or has a time limit.
 *   <li>Bytes are those of the version that the answer names, and a version has the bytes of one write.
 * </ul>
 *
 * <p>Safe for any thread. Findings are reported under the model's lock.
 */
public final class Model {
    /** The attribute's value in the model for a file without the attribute. */
    public static final String NO_MARK = "";

    private static final int HISTORY = 40;
    private static final int RUNS = 6;
    private static final Mutation ORIGIN = origin();

    private static final class FileModel {
        final Register<Optional<PutContent>> content = new Register<>(ORIGIN, Optional.empty());
        final Register<String> mark = new Register<>(ORIGIN, NO_MARK);
        /**
         * Whether a put without an answer expects that the path has no file. The path then never counts as settled, so
         * that no client removes a file and lets that put take effect.
         */
        boolean mustStay;

        boolean isSettled() {
            return !mustStay && content.settled().isPresent() && mark.settled().isPresent();
        }
    }

    private final long seed;
    private final Consumer<Finding> findings;
    private final NavigableMap<FilePath, FileModel> files = new TreeMap<>();
    private final Map<VersionId, PutContent> versions = new HashMap<>();
    private long mutations;

    /**
     * Creates a model.
     *
     * @param findings gets each violation once; must not call the model
     */
    public Model(long seed, Consumer<Finding> findings) {
        this.seed = seed;
        this.findings = findings;
    }

    private static Mutation origin() {
        Mutation origin = new Mutation(0, "nothing was there", false, Long.MIN_VALUE);
        origin.tookEffect(Long.MIN_VALUE);
        return origin;
    }

    static String seconds(long nanos) {
        return nanos == Long.MIN_VALUE ? "the start" : String.format(Locale.ROOT, "%.3f s", nanos / 1e9);
    }

    private FileModel at(FilePath path) {
        return files.computeIfAbsent(path, unused -> new FileModel());
    }

    private Mutation mutation(String what, boolean put, long now) {
        mutations++;
        return new Mutation(mutations, what, put, now);
    }

    // ---- changes

    public synchronized Mutation beginPut(FilePath path, Content content, long now) {
        Mutation put = mutation("put", true, now);
        at(path).content.add(put, Optional.of(new PutContent(content)));
        return put;
    }

    /** Begins the removal of a file. The path must be settled. */
    public synchronized Mutation beginRemove(FilePath path, long now) {
        Mutation remove = mutation("remove", false, now);
        leave(at(path), remove);
        return remove;
    }

    /** Begins a rename. {@code from} must be settled and present, {@code to} settled. */
    public synchronized Mutation beginRename(FilePath from, FilePath to, long now) {
        Mutation rename = mutation("rename from " + from.path() + " to " + to.path(), false, now);
        move(from, to, rename);
        return rename;
    }

    /**
     * Begins the rename of a directory. All files in both directories must be settled, and the new one must be empty.
     */
    public synchronized Mutation beginRenameDirectory(VolumeName volume, String from, String to, long now) {
        Mutation rename = mutation("rename from " + from + "/ to " + to + "/", false, now);
        for (FilePath path : below(volume, from)) {
            if (at(path).content.settled().orElseThrow().state().isPresent()) {
                move(path, new FilePath(volume, to + path.path().substring(from.length())), rename);
            }
        }
        return rename;
    }

    /** Begins an attribute change. The path must be settled and present. */
    public synchronized Mutation beginMark(FilePath path, String mark, long now) {
        Mutation change = mutation("attr", false, now);
        at(path).mark.add(change, mark);
        return change;
    }

    private void move(FilePath from, FilePath to, Mutation rename) {
        FileModel left = at(from);
        at(to).content.add(rename, left.content.settled().orElseThrow().state());
        at(to).mark.add(rename, left.mark.settled().orElseThrow().state());
        leave(left, rename);
    }

    private static void leave(FileModel file, Mutation change) {
        file.content.add(change, Optional.empty());
        file.mark.add(change, NO_MARK);
    }

    public synchronized void acknowledgedPut(FilePath path, Mutation put, VersionId version, long now) {
        for (Register.Value<Optional<PutContent>> value : at(path).content.values()) {
            if (value.mutation() == put) {
                know(value.state().orElseThrow(), version);
                put.tookEffect(now);
                at(path).content.barLostPuts(value, now);
            }
        }
    }

    /** Records that a change other than a put was acknowledged. */
    public synchronized void acknowledged(Mutation change, long now) {
        change.tookEffect(now);
    }

    /** Records that a change was refused, so that it never takes effect. */
    public synchronized void refused(Mutation change) {
        change.refused();
    }

    /** Records that a change ended without an answer, so that it may take effect at any time or never. */
    public synchronized void lost(Mutation change, long now) {
        change.lost(now);
    }

    /**
     * Records that a put ended without an answer. If the path may have had no file before, it never counts as settled
     * again, so that no client removes a file there.
     */
    public synchronized void lostPut(FilePath path, Mutation put, long now) {
        put.lost(now);
        FileModel file = at(path);
        file.mustStay |= file.content.live().stream()
                .anyMatch(value -> value.mutation() != put && value.state().isEmpty());
    }

    private void know(PutContent written, VersionId version) {
        written.is(version);
        versions.put(version, written);
    }

    // ---- what was seen

    /**
     * Checks the bytes of a read, or the bytes that a failed read delivered, against the version that the answer named.
     *
     * @return whether the answer is allowed
     */
    public synchronized boolean read(FilePath path, Seen seen, long offset, byte[] bytes, CallInterval span) {
        FileModel file = at(path);
        List<Register.Value<Optional<PutContent>>> named = named(file, seen);
        List<Register.Value<Optional<PutContent>>> right = named.stream()
                .filter(value -> value.state().orElseThrow().content().matches(offset, bytes))
                .toList();
        if (right.isEmpty()) {
            report(
                    FindingKind.WRONG_BYTES,
                    path,
                    "read " + span(span) + " of " + seen + " gave " + bytes.length + " bytes at " + offset
                            + " which are: " + Content.attribution(seed, offset, bytes, RUNS)
                            + (named.isEmpty() ? " (no such version was ever written here)" : ""));
            return false;
        }
        return seen(path, right, "read", seen, span);
    }

    /** Checks the bytes that a read without a named version delivered before it failed. */
    public synchronized boolean readPart(FilePath path, long offset, byte[] bytes, CallInterval span) {
        boolean known = at(path).content.allowed(Optional::isPresent, span.from(), span.to()).stream()
                .anyMatch(value -> value.state().orElseThrow().content().matches(offset, bytes));
        if (!known && bytes.length > 0) {
            report(
                    FindingKind.WRONG_BYTES,
                    path,
                    "read " + span(span) + " gave, before it failed, " + bytes.length + " bytes at " + offset
                            + " which are: " + Content.attribution(seed, offset, bytes, RUNS));
        }
        return known || bytes.length == 0;
    }

    /** Checks an answer of any call that shows a version at a path. */
    public synchronized boolean present(FilePath path, String call, Seen seen, CallInterval span) {
        FileModel file = at(path);
        List<Register.Value<Optional<PutContent>>> named = named(file, seen);
        if (named.isEmpty()) {
            report(
                    FindingKind.UNEXPLAINED,
                    path,
                    call + " " + span(span) + " shows " + seen + ", which was never written here");
            return false;
        }
        return seen(path, named, call, seen, span);
    }

    /**
     * Returns the states with the version shown. If no acknowledgement named that version, returns the puts without a
     * known version that have its size.
     */
    private List<Register.Value<Optional<PutContent>>> named(FileModel file, Seen seen) {
        PutContent known = versions.get(seen.version());
        Predicate<PutContent> wanted = known != null
                ? written -> written == known && written.content().sizeBytes() == seen.sizeBytes()
                : written -> written.version().isEmpty() && written.content().sizeBytes() == seen.sizeBytes();
        return file.content.values().stream()
                .filter(value -> value.state().filter(wanted).isPresent())
                .toList();
    }

    private boolean seen(
            FilePath path,
            List<Register.Value<Optional<PutContent>>> right,
            String call,
            Seen seen,
            CallInterval span) {
        List<Register.Value<Optional<PutContent>>> allowed = right.stream()
                .filter(value -> value.isAllowed(span.from(), span.to()))
                .toList();
        if (allowed.isEmpty()) {
            report(
                    FindingKind.LOST_ACKNOWLEDGED_WRITE,
                    path,
                    call + " " + span(span) + " shows " + seen + ", which cannot have been the current version: "
                            + right.get(0));
            return false;
        }
        if (allowed.size() == 1) {
            Register.Value<Optional<PutContent>> only = allowed.get(0);
            know(only.state().orElseThrow(), seen.version());
            only.register().held(only, span.from(), span.to());
        }
        return true;
    }

    /** Checks an answer of any call that shows no file at a path. */
    public synchronized boolean absent(FilePath path, String call, CallInterval span) {
        FileModel file = files.get(path);
        if (file == null) {
            return true;
        }
        List<Register.Value<Optional<PutContent>>> allowed =
                file.content.allowed(Optional::isEmpty, span.from(), span.to());
        if (allowed.isEmpty()) {
            report(
                    FindingKind.LOST_ACKNOWLEDGED_WRITE,
                    path,
                    call + " " + span(span) + " finds no file, though one was there all the time");
            return false;
        }
        if (allowed.size() == 1) {
            file.content.held(allowed.get(0), span.from(), span.to());
        }
        return true;
    }

    /** Checks an answer that shows an attribute of a file. */
    public synchronized boolean marked(FilePath path, String mark, CallInterval span) {
        Register<String> register = at(path).mark;
        List<Register.Value<String>> allowed = register.allowed(mark::equals, span.from(), span.to());
        if (allowed.isEmpty()) {
            report(
                    FindingKind.LOST_ACKNOWLEDGED_WRITE,
                    path,
                    "stat " + span(span) + " shows the attribute \"" + mark + "\", expected one of "
                            + register.allowed(any -> true, span.from(), span.to()));
            return false;
        }
        if (allowed.size() == 1) {
            register.held(allowed.get(0), span.from(), span.to());
        }
        return true;
    }

    /**
     * Checks a complete listing of a directory.
     *
     * @param shown names with their versions; null for a directory
     */
    public synchronized void listed(
            VolumeName volume, String directory, Map<String, @Nullable Seen> shown, CallInterval span) {
        Set<String> known = new HashSet<>();
        String prefix = directory.equals("/") ? "/" : directory + "/";
        for (FilePath path : below(volume, directory)) {
            String rest = path.path().substring(prefix.length());
            int slash = rest.indexOf('/');
            String name = slash < 0 ? rest : rest.substring(0, slash);
            if (slash < 0) {
                known.add(name);
                Seen seen = shown.get(name);
                if (seen == null) {
                    absent(path, "ls", span);
                } else {
                    present(path, "ls", seen, span);
                }
            } else if (mayBe(path, span)) {
                known.add(name);
                if (!shown.containsKey(name) && mustBe(path, span)) {
                    report(
                            FindingKind.LOST_ACKNOWLEDGED_WRITE,
                            path,
                            "ls " + span(span) + " of " + directory + " does not show the directory " + name);
                }
            }
        }
        for (String name : shown.keySet()) {
            if (!known.contains(name)) {
                report(
                        FindingKind.UNEXPLAINED,
                        new FilePath(volume, prefix + name),
                        "ls " + span(span) + " shows it, and nothing can be there");
            }
        }
    }

    private boolean mayBe(FilePath path, CallInterval span) {
        return !at(path).content
                .allowed(Optional::isPresent, span.from(), span.to())
                .isEmpty();
    }

    private boolean mustBe(FilePath path, CallInterval span) {
        return at(path).content
                .allowed(Optional::isEmpty, span.from(), span.to())
                .isEmpty();
    }

    // ---- what is known

    /** Returns whether the state of the path is certain, so that any change may be made. */
    public synchronized boolean isSettled(FilePath path) {
        FileModel file = files.get(path);
        return file == null || file.isSettled();
    }

    /** Returns whether a put may be made here: only puts may be pending, and a commit compares versions. */
    public synchronized boolean mayBePut(FilePath path) {
        FileModel file = files.get(path);
        return file == null
                || file.content.live().stream()
                        .allMatch(value -> value.mutation().by() != Mutation.NEVER
                                || value.mutation().isPut());
    }

    /** Returns whether a file certainly exists at a path. */
    public synchronized boolean isThere(FilePath path) {
        FileModel file = files.get(path);
        return file != null
                && file.content
                        .settled()
                        .filter(value -> value.state().isPresent())
                        .isPresent();
    }

    /** Returns the version at a path, if certain. */
    public synchronized Optional<Kept> kept(FilePath path) {
        FileModel file = files.get(path);
        return file == null
                ? Optional.empty()
                : file.content.settled().flatMap(Register.Value::state).flatMap(Model::kept);
    }

    private static Optional<Kept> kept(PutContent written) {
        return written.version().map(version -> new Kept(version, written.content()));
    }

    /**
     * Returns the versions that a failed read may have met; empty if one of them is unknown or there may have been no
     * file.
     */
    public synchronized List<Kept> candidates(FilePath path, CallInterval span) {
        List<Kept> all = new ArrayList<>();
        for (Register.Value<Optional<PutContent>> value :
                at(path).content.allowed(any -> true, span.from(), span.to())) {
            Optional<Kept> kept = value.state().flatMap(Model::kept);
            if (kept.isEmpty()) {
                return List.of();
            }
            all.add(kept.get());
        }
        return List.copyOf(all);
    }

    /** Returns every path that has, had or may have had a file. */
    public synchronized List<FilePath> paths() {
        return List.copyOf(files.keySet());
    }

    /** Returns the paths below a directory. */
    public synchronized List<FilePath> below(VolumeName volume, String directory) {
        String prefix = directory.equals("/") ? "/" : directory + "/";
        FilePath first = new FilePath(volume, prefix + "!");
        List<FilePath> all = new ArrayList<>();
        for (FilePath path : files.tailMap(first, true).keySet()) {
            if (!path.volume().equals(volume) || !path.path().startsWith(prefix)) {
                break;
            }
            all.add(path);
        }
        return all;
    }

    /** Reports a violation found outside the model, such as an inexplicable answer or an avoidable read failure. */
    public synchronized void report(FindingKind kind, FilePath path, String what) {
        FileModel file = at(path);
        List<String> history = new ArrayList<>();
        List<? extends Register.Value<?>> values = file.content.values();
        values.subList(Math.max(0, values.size() - HISTORY), values.size()).forEach(v -> history.add(v.toString()));
        List<? extends Register.Value<?>> marks = file.mark.values();
        marks.subList(Math.max(0, marks.size() - HISTORY / 4), marks.size())
                .forEach(v -> history.add("attribute: " + v));
        findings.accept(new Finding(kind, path.toString(), what, history));
    }

    private static String span(CallInterval span) {
        return "from " + seconds(span.from()) + " to " + seconds(span.to());
    }
}
