package core

import (
	"fmt"
	"hash/fnv"
)

// QueueShards is over how many partitions an account's queue is spread.
const QueueShards = 4

// QueueKey is where an offered task is: oldest first inside its shard.
func QueueKey(account string, t QueuedTask) Key {
	h := fnv.New32a()
	h.Write([]byte(t.ID))
	return Key{QueuePK(account, int(h.Sum32()%QueueShards)), fmt.Sprintf("%013d#%s", t.At, t.ID)}
}

// QueuePK is the partition of one shard.
func QueuePK(account string, shard int) string {
	return fmt.Sprintf("A#%s#Q#%d", account, shard)
}
