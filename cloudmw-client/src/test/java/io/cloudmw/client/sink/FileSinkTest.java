package io.cloudmw.client.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.Pipes;
import io.cloudmw.core.error.CloudMwException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileSinkTest {
    @TempDir
    private Path directory;

    private static FileSink begun(Path target) throws CloudMwException {
        FileSink sink = new FileSink(target, 5, true, false);
        sink.open();
        sink.write(0, ByteBuffer.wrap("after".getBytes(StandardCharsets.UTF_8)));
        return sink;
    }

    private static void write(Path target) throws CloudMwException {
        begun(target).commit();
    }

    private Path existing(String name, String permissions) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "before");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private List<String> names() throws IOException {
        try (var list = Files.list(directory)) {
            return list.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void onlyNetworkFileSystemsMayHang() throws Exception {
        assertThat(List.of("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "ceph", "9p", "lustre"))
                .allMatch(FileSink::isRemote);
        assertThat(List.of("ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs"))
                .noneMatch(FileSink::isRemote);
        FileSink sink = begun(directory.resolve("out"));
        assertThat(sink.mayBlock())
                .isEqualTo(FileSink.isRemote(Files.getFileStore(directory).type()));
        sink.abort();
    }

    @Test
    void targetNameMayBeAsLongAsTheFileSystemAllows() throws Exception {
        Path target = directory.resolve("n".repeat(255));
        write(target);
        assertThat(target).hasContent("after");
    }

    @Test
    void replacedFileKeepsItsPermissionsFromTheFirstByte() throws Exception {
        for (String permissions : List.of("rw-------", "rwxrwxrwx", "rw-rw-r--")) {
            Path target = existing("out", permissions);
            FileSink sink = begun(target);
            for (String name : names()) {
                assertThat(permissions(directory.resolve(name))).isEqualTo(permissions);
            }
            sink.commit();
            assertThat(target).hasContent("after");
            assertThat(permissions(target)).isEqualTo(permissions);
        }
    }

    @Test
    void replacedFileKeepsOwnerAndGroupWherePermitted() throws Exception {
        Path target = existing("out", "rw-r-----");
        int asked = 54321;
        try {
            Files.setAttribute(target, "unix:uid", asked);
            Files.setAttribute(target, "unix:gid", asked);
        } catch (FileSystemException e) {
            asked = (int) Files.getAttribute(target, "unix:gid"); // only the superuser may give files away
        }
        write(target);
        assertThat(target).hasContent("after");
        assertThat(Files.getAttribute(target, "unix:gid")).isEqualTo(asked);
        assertThat(permissions(target)).isEqualTo("rw-r-----");
    }

    @Test
    void otherGroupGetsEverybodysPermissions() {
        for (List<String> pair : List.of(
                List.of("rw-rw----", "rw-------"),
                List.of("rwxrwxr-x", "rwxr-xr-x"),
                List.of("rw----r--", "rw-r--r--"))) {
            assertThat(PosixFilePermissions.toString(
                            FileSink.forAnotherGroup(PosixFilePermissions.fromString(pair.get(0)))))
                    .isEqualTo(pair.get(1));
        }
    }

    @Test
    void unwritableFileIsNotReplaced() throws Exception {
        Path target = existing("out", "r--r--r--");
        if (Files.isWritable(target)) { // by the superuser, who may do anything
            write(target);
            assertThat(target).hasContent("after");
            assertThat(permissions(target)).isEqualTo("r--r--r--");
        } else {
            assertThatThrownBy(() -> write(target)).hasMessageContaining("permission denied");
            assertThat(target).hasContent("before");
        }
        assertThat(names()).containsExactly("out");
    }

    @Test
    void symbolicLinkIsFollowedWithOrWithoutTarget() throws Exception {
        Path real = existing("real", "rw-r-----");
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), Path.of("..", "second"));
        Files.createSymbolicLink(directory.resolve("second"), Path.of("real"));
        write(link);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(real).hasContent("after").isRegularFile();
        assertThat(permissions(real)).isEqualTo("rw-r-----");

        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), Path.of("new"));
        write(dangling);
        assertThat(directory.resolve("new")).hasContent("after");
        assertThat(Files.isSymbolicLink(dangling)).isTrue();
        assertThat(names()).containsExactly("dangling", "elsewhere", "new", "real", "second");
    }

    @Test
    void targetThatIsNoRegularFileIsNotReplaced() throws Exception {
        Path pipe = Pipes.make(directory.resolve("pipe"));
        assertThatThrownBy(() -> write(pipe)).hasMessageContaining("cannot replace it: it is not a regular file");
        Path link = Files.createSymbolicLink(directory.resolve("link"), pipe);
        assertThatThrownBy(() -> write(link)).hasMessageContaining("cannot replace it: it is not a regular file");
        Path other = Files.createDirectory(directory.resolve("directory"));
        assertThatThrownBy(() -> write(other)).hasMessageContaining("cannot replace it: it is a directory");
        assertThat(names()).containsExactly("directory", "link", "pipe");
    }

    @Test
    void partialFileLiesBesideTheLinksTarget() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), elsewhere.resolve("real"));
        FileSink sink = begun(link);
        assertThat(names()).containsExactly("elsewhere", "link");
        assertThat(PartialFile.name(elsewhere.resolve("real"))).exists();
        sink.abort();
        try (var left = Files.list(elsewhere)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void cyclicLinksFail() throws Exception {
        Path one = directory.resolve("one");
        Files.createSymbolicLink(one, Path.of("other"));
        Files.createSymbolicLink(directory.resolve("other"), Path.of("one"));
        assertThatThrownBy(() -> write(one)).hasMessageContaining("cannot create it");
    }

    @Test
    void vanishedDirectoryFailsWithOneClearErrorAndLeavesNothing() throws Exception {
        Path gone = Files.createDirectory(directory.resolve("gone"));
        FileSink sink = begun(gone.resolve("out"));
        try (var files = Files.list(gone)) {
            Files.delete(files.findFirst().orElseThrow());
        }
        Files.delete(gone);
        assertThatThrownBy(sink::commit).hasMessageContaining("cannot replace it: no such directory");
        sink.abort();
        assertThat(names()).isEmpty();
    }
}
