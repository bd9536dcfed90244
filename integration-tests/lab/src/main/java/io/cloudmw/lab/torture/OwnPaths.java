package io.cloudmw.lab.torture;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.lab.torture.model.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The paths that only one client changes: a few directories with a few files each, in one volume. When too many files
 * of a directory are in an unknown state, the client abandons it and uses a new one. Confined to one thread.
 */
final class OwnPaths {
    private static final int DIRECTORIES = 4;
    private static final int FILES = 8;
    private static final int DOUBTFUL = 3;
    private static final int TRIES = 20;

    private final Model model;
    private final VolumeName volume;
    private final String root;
    private final RandomGenerator random;
    private final List<String> directories = new ArrayList<>();
    /** Former names of renamed directories. */
    private final List<String> left = new ArrayList<>();

    private int named;

    OwnPaths(Model model, VolumeName volume, int client, RandomGenerator random) {
        this.model = model;
        this.volume = volume;
        this.root = "/client-" + client;
        this.random = random;
        for (int i = 0; i < DIRECTORIES; i++) {
            directories.add(fresh());
        }
    }

    private String fresh() {
        named++;
        return root + "/d" + named;
    }

    VolumeName volume() {
        return volume;
    }

    /** Draws a path that satisfies a condition, or any path if several tries find none. */
    FilePath draw(Predicate<FilePath> wanted) {
        FilePath path = any();
        for (int i = 0; i < TRIES && !wanted.test(path); i++) {
            path = any();
        }
        return path;
    }

    private FilePath any() {
        int index = random.nextInt(directories.size());
        String directory = directories.get(index);
        if (model.below(volume, directory).stream()
                        .filter(path -> !model.isSettled(path))
                        .count()
                >= DOUBTFUL) {
            directory = fresh();
            directories.set(index, directory);
        }
        return new FilePath(volume, directory + "/f" + random.nextInt(FILES));
    }

    /**
     * Draws a directory that may be renamed: it has a file, and the states of all its files are known. After several
     * tries any directory.
     */
    String directory() {
        String directory = directories.get(random.nextInt(directories.size()));
        for (int i = 0; i < TRIES && !mayMove(directory); i++) {
            directory = directories.get(random.nextInt(directories.size()));
        }
        return directory;
    }

    boolean mayMove(String directory) {
        List<FilePath> below = model.below(volume, directory);
        return below.stream().allMatch(model::isSettled) && below.stream().anyMatch(model::isThere);
    }

    /** Returns an unused directory name, either new or a former one below which the model knows that no file exists. */
    String nameForDirectory() {
        for (int i = 0; i < left.size(); i++) {
            List<FilePath> below = model.below(volume, left.get(i));
            if (random.nextBoolean()
                    && below.stream().allMatch(path -> model.isSettled(path) && !model.isThere(path))) {
                return left.remove(i);
            }
        }
        return fresh();
    }

    void moved(String from, String to) {
        directories.set(directories.indexOf(from), to);
        left.add(from);
    }
}
