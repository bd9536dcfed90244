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
 * All files of a run: which changes were asked for, which were acknowledged, and what an answer may say therefore. Each
 * check is a necessary condition of linearizability for one name, so that what it reports cannot be right:
 *
 * <ul>
 *   <li>a state is shown only after its change was asked for, and never after it was superseded: by a change that was asked
 *       for when it had taken effect, or because another state was seen after it had;
 *   <li>a change that was acknowledged has taken effect; one that was refused never does; of one whose answer was lost both
 *       are allowed, until it is seen, and then it has, with all that it did (a rename: at both names);
 *   <li>a put that was lost is barred by one that was acknowledged and began later, because a commit compares;
 *   <li>bytes are those of the version that was named, and a version's bytes are one write's.
 * </ul>
 *
 * <p>Safe for any thread. Findings are told under its lock.
 */
public final class Model {
    /** What {@code attr} notes when nothing was. */
    public static final String NO_MARK = "";

    private static final int HISTORY = 40;
    private static final int RUNS = 6;
    private static final Mutation ORIGIN = origin();

    private static final class FileModel {
        final Register<Optional<PutContent>> content = new Register<>(ORIGIN, Optional.empty());
        final Register<String> mark = new Register<>(ORIGIN, NO_MARK);
        /** A put that was lost wants nothing to be here: this must not become true again. */
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

    /** @param findings told, once each, what may not happen; must not call back */
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

    /** The path must be settled and present. */
    public synchronized Mutation beginRemove(FilePath path, long now) {
        Mutation remove = mutation("remove", false, now);
        leave(at(path), remove);
        return remove;
    }

    /** What is renamed must be settled and present, {@code to} settled. */
    public synchronized Mutation beginRename(FilePath from, FilePath to, long now) {
        Mutation rename = mutation("rename from " + from.path() + " to " + to.path(), false, now);
        move(from, to, rename);
        return rename;
    }

    /** Both directories must be settled, the new one free. */
    public synchronized Mutation beginRenameDirectory(VolumeName volume, String from, String to, long now) {
        Mutation rename = mutation("rename from " + from + "/ to " + to + "/", false, now);
        for (FilePath path : below(volume, from)) {
            if (at(path).content.settled().orElseThrow().state().isPresent()) {
                move(path, new FilePath(volume, to + path.path().substring(from.length())), rename);
            }
        }
        return rename;
    }

    /** The path must be settled and present. */
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

    /** Any change but a put. */
    public synchronized void acknowledged(Mutation change, long now) {
        change.tookEffect(now);
    }

    /** It was answered that it is not done: then it never is. */
    public synchronized void refused(Mutation change) {
        change.refused();
    }

    /** Nobody knows whether it is done, or will be. */
    public synchronized void lost(Mutation change, long now) {
        change.lost(now);
    }

    /** Like {@link #lost}: besides, where nothing was before the put, nothing may ever be again. */
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
     * A read was answered with these bytes of this version; a read that failed, with those it had been given.
     *
     * @return whether it may be
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

    /** The beginning of what a failed read was to give: of whichever version. */
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

    /** It was answered, by whatever call, that this version is at the path. */
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

    /** Values of this version; of versions nobody was told of yet, those of its size. */
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

    /** It was answered, by whatever call, that no file is at the path. */
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

    /** It was answered that this is noted of the file. */
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
     * A whole listing of a directory.
     *
     * @param shown names, with their versions; null: a directory
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

    /** Whether there is no doubt what is at the path, and it may be changed in any way. */
    public synchronized boolean isSettled(FilePath path) {
        FileModel file = files.get(path);
        return file == null || file.isSettled();
    }

    /** Whether a put may be tried here: all that is in doubt are puts, which compare. */
    public synchronized boolean mayBePut(FilePath path) {
        FileModel file = files.get(path);
        return file == null
                || file.content.live().stream()
                        .allMatch(value -> value.mutation().by() != Mutation.NEVER
                                || value.mutation().isPut());
    }

    /** Whether a file is there without doubt. */
    public synchronized boolean isThere(FilePath path) {
        FileModel file = files.get(path);
        return file != null
                && file.content
                        .settled()
                        .filter(value -> value.state().isPresent())
                        .isPresent();
    }

    /** The version at a path, where that is without doubt. */
    public synchronized Optional<Kept> kept(FilePath path) {
        FileModel file = files.get(path);
        return file == null
                ? Optional.empty()
                : file.content.settled().flatMap(Register.Value::state).flatMap(Model::kept);
    }

    private static Optional<Kept> kept(PutContent written) {
        return written.version().map(version -> new Kept(version, written.content()));
    }

    /** The versions a failed read may have been of; empty where one of them is unknown, or there may have been none. */
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

    /** Every path that ever had a file, or may have had. */
    public synchronized List<FilePath> paths() {
        return List.copyOf(files.keySet());
    }

    /** Those below a directory. */
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

    /** An answer that nothing explains, or a read that failed and need not have. */
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
