package io.cloudmw.it.bench;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.model.FilePath;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;

/**
 * A started client of the library for {@code integration-tests/ordinary.sh}, which measures its processor time from
 * outside. The class uses nothing but the jar of the command line.
 *
 * <p>Arguments: {@code serve <coordinator>} reads a command from each line of standard input and answers each with a line
 * of numbers:
 *
 * <ul>
 *   <li>{@code read <file>} reads a file of a volume to /dev/null: seconds
 *   <li>{@code small-gets <file> <count>} does so many times, one get after the other: p50 and p99 in milliseconds
 * </ul>
 *
 * <p>{@code generate <directory> <count> <bytes> <seed>} makes files of random bytes, a hundred in each subdirectory;
 * {@code generate <file> <bytes> <seed>} makes one.
 */
public final class OrdinaryBench {
    private static final int FILES_IN_A_DIRECTORY = 100;
    private static final int PIECE_BYTES = 1 << 20;

    private final CloudMw client;
    private final FileChannel nowhere;

    private OrdinaryBench(CloudMw client, FileChannel nowhere) {
        this.client = client;
        this.nowhere = nowhere;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 2 && arguments[0].equals("serve")) {
            try (CloudMw client = CloudMw.connect(CloudMwOptions.of(arguments[1]));
                    FileChannel nowhere = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE)) {
                new OrdinaryBench(client, nowhere).serve();
            }
        } else if (arguments.length == 5 && arguments[0].equals("generate")) {
            generateTree(
                    Path.of(arguments[1]),
                    Integer.parseInt(arguments[2]),
                    Long.parseLong(arguments[3]),
                    new SplittableRandom(Long.parseLong(arguments[4])));
        } else if (arguments.length == 4 && arguments[0].equals("generate")) {
            generate(
                    Path.of(arguments[1]),
                    Long.parseLong(arguments[2]),
                    new SplittableRandom(Long.parseLong(arguments[3])));
        } else {
            System.err.println("usage: OrdinaryBench serve <coordinator> | generate <directory> <count> <bytes> <seed>"
                    + " | generate <file> <bytes> <seed>");
            System.exit(2);
        }
    }

    private void serve() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(answer(line.split(" ", -1)));
        }
    }

    private String answer(String[] words) {
        FilePath file = FilePath.parse(words[1]);
        return switch (words[0]) {
            case "read" -> String.format(Locale.ROOT, "%.3f", millisOfRead(file) / 1e3);
            case "small-gets" -> percentiles(Integer.parseInt(words[2]), () -> millisOfRead(file));
            case "open-reads" -> openReads(file, Integer.parseInt(words[2]));
            default -> throw new IllegalArgumentException("unknown command: " + words[0]);
        };
    }

    private double millisOfRead(FilePath file) {
        long start = System.nanoTime();
        client.files().read(file, nowhere, GetOptions.defaults()).join();
        return (System.nanoTime() - start) / 1e6;
    }

    /** Reads of 1 KiB of an open file at random places, most of which are not in the client's memory. */
    private String openReads(FilePath file, int count) {
        SplittableRandom places = new SplittableRandom(count);
        ByteBuffer target = ByteBuffer.allocateDirect(1024);
        try (RemoteFile open = client.files().open(file).join()) {
            long last = open.version().sizeBytes() / 1024;
            return percentiles(count, () -> {
                long place = places.nextLong(last) * 1024;
                target.clear();
                long start = System.nanoTime();
                open.read(target, place).join();
                return (System.nanoTime() - start) / 1e6;
            });
        }
    }

    /** Returns the median and the 99th percentile of so many values. */
    private static String percentiles(int count, DoubleSupplier value) {
        double[] millis = new double[count];
        for (int i = 0; i < count; i++) {
            millis[i] = value.getAsDouble();
        }
        Arrays.sort(millis);
        return String.format(Locale.ROOT, "%.3f %.3f", millis[count / 2], millis[(int) (count * 0.99)]);
    }

    private static void generateTree(Path directory, int count, long bytes, SplittableRandom random)
            throws IOException {
        for (int i = 0; i < count; i++) {
            Path parent = directory.resolve(String.format(Locale.ROOT, "%03d", i / FILES_IN_A_DIRECTORY));
            if (i % FILES_IN_A_DIRECTORY == 0) {
                Files.createDirectories(parent);
            }
            generate(parent.resolve(String.format(Locale.ROOT, "file-%05d", i)), bytes, random);
        }
    }

    private static void generate(Path file, long bytes, SplittableRandom random) throws IOException {
        byte[] piece = new byte[(int) Math.min(bytes, PIECE_BYTES)];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (long left = bytes; left > 0; left -= piece.length) {
                random.nextBytes(piece);
                out.write(piece, 0, (int) Math.min(left, piece.length));
            }
        }
    }
}
