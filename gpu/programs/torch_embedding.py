"""Tables by PyTorch: embedding forward and backward, a bag of embeddings, gather, index_add, index_select, scatter."""

import program
import torch
from torch import nn

program.settle(separate=True)
program.take_turn()
words, width, count = 8000, 128, 4096
table = program.normal(words // 80, width, seed=1).repeat(80, 1)
index = (program.uniform(count, seed=2, low=0.0) ** 3 * words).long()  # small ones often
upstream = program.normal(count // 32, width, seed=3).repeat(32, 1)
bags = torch.arange(0, count, 8)

table_gpu, index_gpu, upstream_gpu, bags_gpu = table.cuda().requires_grad_(), index.cuda(), upstream.cuda(), bags.cuda()
table.requires_grad_()
got, wanted = nn.functional.embedding(index_gpu, table_gpu), nn.functional.embedding(index, table)
got.backward(upstream_gpu)
wanted.backward(upstream)
program.expect_equal("embedding", got, wanted)
program.expect_close("gradient", table_gpu.grad, table.grad, 1e-5)

table_gpu, table = table_gpu.detach(), table.detach()
program.expect_close("bag", nn.functional.embedding_bag(index_gpu, table_gpu, bags_gpu, mode="mean"),
                     nn.functional.embedding_bag(index, table, bags, mode="mean"), 1e-5)
program.expect_equal("index_select", torch.index_select(table_gpu, 0, index_gpu), torch.index_select(table, 0, index))
wide, wide_gpu = index.view(32, 128), index_gpu.view(32, 128)
program.expect_equal("gather", torch.gather(table_gpu, 0, wide_gpu), torch.gather(table, 0, wide))
program.expect_close("index_add", table_gpu.clone().index_add_(0, index_gpu, upstream_gpu),
                     table.clone().index_add_(0, index, upstream), 1e-5)
program.finish()
